const [UP, DOWN, INCONCLUSIVE] = [0, 2, 3]

/**
 * The status of a monitor of one region after all of its checks, written again for the model: down after so many failures in a row, up
 * after so many good checks in a row; what is unknown is up with the first good one.
 */
export function statusOf(outcomes: readonly number[], confirmations: number, recoveryChecks: number): string {
  const conclusive = outcomes.filter((outcome) => outcome !== INCONCLUSIVE)
  let status: 'unknown' | 'up' | 'down' = 'unknown'
  for (let end = 1; end <= conclusive.length; end += 1) {
    const last = (count: number, outcome: number) =>
      end >= count && conclusive.slice(end - count, end).every((one) => one === outcome)
    if (last(confirmations, DOWN)) status = 'down'
    else if (last(status === 'down' ? recoveryChecks : 1, UP)) status = 'up'
  }
  return status === 'unknown' ? 'up' : status
}
