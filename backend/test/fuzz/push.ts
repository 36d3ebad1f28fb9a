import { randomUUID } from 'node:crypto'

/** A push of samples a second apart, the last of them now. */
export function pushAt(nowMs: number, samples: object[]): { samples: object[] } & Record<string, unknown> {
  return {
    batch_id: randomUUID(),
    sent_at: new Date(nowMs).toISOString(),
    agent_version: '0.1.0',
    samples: samples.map((sample, index) => ({
      at: new Date(nowMs - (samples.length - 1 - index) * 1_000).toISOString(),
      ...sample,
    })),
  }
}
