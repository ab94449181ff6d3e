import type { Log } from '../engine/runtime.ts';
import type { TraceStore } from '../engine/trace-store.ts';
import type { Tracing } from '../operate/tracing.ts';

/** Undefined unless OpenTelemetry's standard variables name where traces go. Nothing is loaded then. */
export async function openTracing(parts: {
  readonly version: string;
  readonly store: TraceStore;
  readonly log: Log;
}): Promise<Tracing | undefined> {
  const { env } = process;
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = env;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = env;
  const isNamed = Boolean(all) || Boolean(own) || exporter === 'otlp';
  if (!isNamed || exporter === 'none' || disabled?.toLowerCase() === 'true') return undefined;
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol === 'grpc') {
    parts.log.warn({ protocol }, 'traces are exported over http only: not exported');
    return undefined;
  }
  const { Tracing } = await import('../operate/tracing.ts');
  return new Tracing({ ...parts, env });
}
