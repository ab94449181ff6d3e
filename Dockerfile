# The worker as an image: `docker build -t slotbridge .` It needs a separate Redis (REDIS_URL); compose.yaml has one.
#   docker run -e REDIS_URL=redis://… -v ./config:/config:ro -v ./secrets:/secrets:ro -v slotbridge-data:/data \
#     -p 127.0.0.1:8080:8080 slotbridge

# Node 26 is the LTS line since October 2026; both stages use the same image. The digest selects it; docs/releasing.md says how to renew it.
FROM node:26-bookworm-slim@sha256:81502e860176e63695d769d3d1a2d3a403abc1c27c6a02169b765f3e43b60ede AS build
WORKDIR /app
# Copy rarely changed files first: Docker then rebuilds the package layer only when the lock has changed.
COPY package.json package-lock.json .npmrc ./
COPY packages/sandbox/package.json ./packages/sandbox/
COPY packages/rehearsal/package.json ./packages/rehearsal/
RUN npm ci
COPY tsconfig.json tsconfig.build.json LICENSE ./
COPY scripts/build.mjs scripts/bundle.mjs scripts/rooms.cjs scripts/image-node.mjs ./scripts/
# The base has Node 26.6.0. The script takes a newer one from npm, by its hash.
RUN node scripts/image-node.mjs /usr/local/bin/node
COPY src ./src
COPY packages ./packages
RUN npm run build

FROM node:26-bookworm-slim@sha256:81502e860176e63695d769d3d1a2d3a403abc1c27c6a02169b765f3e43b60ede
ENV NODE_ENV=production
# Inside a container, 127.0.0.1 is only reachable from the container itself. The example YAML and that of `slotbridge init` read both variables.
ENV HOST=0.0.0.0
ENV PORT=8080
# A second thread for V8 is enough: with its usual four, each compiles and collects in memory of its own, a tenth of an idle worker's.
ENV NODE_OPTIONS=--v8-pool-size=1
WORKDIR /app
# The YAML's ./data is the volume. It belongs to the worker's user.
RUN mkdir /data && chown node:node /data && ln -s /data /app/data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
# dist/ needs no node_modules: it holds the code of every package that it uses.
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
# Copied by name, so that other files in config/ on the build machine, such as keys, never enter the image.
COPY config/schema.json config/slotbridge.example.yaml ./config/
COPY config/ops ./config/ops
USER node
VOLUME /data
EXPOSE 8080
# /readyz: Redis accepts writes and the mapping is resolved. Otherwise the worker is unhealthy, even though its process runs.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Exec form: SIGTERM reaches the worker itself, which then finishes its current work.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["start", "--config", "/config/slotbridge.yaml"]
