import { isFault, type EvaluatedRequirement, type State, type Evaluation } from './evaluate.ts'

const ORDER: readonly State[] = ['held', 'open', 'unproved', 'missing', 'red']

/** Each requirement with its state and its tests, then the faults, then the counts. */
export function reportOf({ lines, faults }: Evaluation): string {
  const counts = ORDER.flatMap((state) => {
    const count = lines.filter((line) => line.state === state).length
    return count > 0 ? [`${count} ${state}`] : []
  })
  return [
    ...lines.flatMap(toText),
    ...faults.map((fault) => `fault: ${fault}`),
    `${lines.length} lines: ${counts.join(', ')}`,
  ].join('\n')
}

export function exitCodeOf({ lines, faults }: Evaluation): number {
  return faults.length > 0 || lines.some(({ state }) => isFault(state)) ? 1 : 0
}

function toText({ requirement: { id, demand, opensWith }, state, tests }: EvaluatedRequirement): string[] {
  const descriptions = {
    held: `held by ${tests.filter((test) => test.state === 'passed').length}`,
    open: `open (${opensWith})`,
    red: 'RED',
    unproved: 'UNPROVED: its tests did not run',
    missing: 'MISSING: no test names it',
  }
  return [`${id} ${descriptions[state]}: ${demand}`, ...tests.map((test) => `  ${test.state} ${test.file}: ${test.title}`)]
}
