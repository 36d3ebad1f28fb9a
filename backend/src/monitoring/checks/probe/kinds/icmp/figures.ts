const toMs = (us: number): number => Math.round(us) / 1_000

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * The facts of a ping by the round trips of its packets in µs; undefined for a lost packet. Jitter is the mean difference of consecutive
 * round trips. Pure.
 */
export function figuresOf(rtts: readonly (number | undefined)[]): Record<string, number> {
  const received = rtts.filter((rtt) => rtt !== undefined)
  const packet_loss = Math.round(((rtts.length - received.length) / rtts.length) * 1_000) / 10
  if (received.length === 0) return { packet_loss }
  const changes = received.slice(1).map((rtt, index) => Math.abs(rtt - (received[index] as number)))
  return {
    packet_loss,
    rtt_min_ms: toMs(Math.min(...received)),
    rtt_avg_ms: toMs(mean(received)),
    rtt_max_ms: toMs(Math.max(...received)),
    ...(changes.length > 0 && { jitter_ms: toMs(mean(changes)) }),
  }
}
