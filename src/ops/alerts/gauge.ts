import { Gauge, type Registry } from 'prom-client';
import { ALERT_NAMES, type AlertName } from '../../domain/alert.ts';

/** `slotbridge_alert{alert="…"}`: 1 from raising the alert until it is cleared. */
export class AlertGauge {
  readonly #gauge: Gauge<'alert'>;

  constructor(registry: Registry) {
    this.#gauge = new Gauge({
      name: 'slotbridge_alert',
      help: '1 while the alert is raised, otherwise 0. The same in all processes.',
      labelNames: ['alert'],
      registers: [registry],
    });
    this.show(new Set());
  }

  show(standing: ReadonlySet<AlertName>): void {
    for (const alert of ALERT_NAMES) this.#gauge.set({ alert }, standing.has(alert) ? 1 : 0);
  }
}
