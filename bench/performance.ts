import { type Budget, BUDGETS, IDLE_BUDGET } from '../backend/test/budgets/table.ts'
import { COLLECTIONS_PER_HOUR, type Count, COUNTS, LIMITS, type Unit, UNITS } from './agent/budgets/limits.ts'
import type { BenchResult, Goal, ReportedFigure } from './lib/result.ts'

const boundOf = (goal: Goal, unit: string): string =>
  'atMost' in goal ? `≤ ${numberOf(goal.atMost)}${unit}` : `≥ ${numberOf(goal.atLeast)}${unit}`

const numberOf = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 })

function goalOf({ goal, peer, unit }: ReportedFigure): string {
  return [
    ...(goal ? [boundOf(goal, unit === '' ? '' : ` ${unit}`)] : []),
    ...(peer?.goal ? [`${boundOf(peer.goal, ' ×')} ${peer.name}`] : []),
  ].join(', ')
}

function rowOf(figure: ReportedFigure): string {
  const { name, value, unit, peer, ratio, met } = figure
  const cells = [
    name,
    `${numberOf(value)} ${unit}`.trim(),
    peer ? `${peer.name}: ${numberOf(peer.value)} ${unit}`.trim() : '',
    ratio === undefined ? '' : numberOf(ratio),
    goalOf(figure),
    met === undefined ? '' : met ? 'yes' : '**no**',
  ]
  return `| ${cells.join(' | ')} |`
}

function sectionOf({ bench, at, commit, machine, load, figures }: BenchResult): string {
  return [
    `## ${bench}`,
    '',
    `${at.slice(0, 10)}, commit ${commit}, ${machine}, load ${numberOf(load)} at the end. Run it: \`npm run bench -- ${bench}\`.`,
    '',
    '| figure | Vedette | peer | ratio | goal | met |',
    '| --- | --- | --- | --- | --- | --- |',
    ...figures.map(rowOf),
    '',
  ].join('\n')
}

function agentBudgets(): string {
  const units = Object.keys(UNITS) as Unit[]
  const rows = (Object.keys(COUNTS) as Count[]).map((count) => [
    COUNTS[count],
    ...units.map((unit) => numberOf(LIMITS[unit][count])),
  ])
  return [
    '## Budgets of the agent',
    '',
    'What the built agent may do at most, at the default intervals with all sources that are on by default, from the fourth minute on:',
    'on a fixed host of 100 processes, of which 10 are busy and 40 quiet, traced with `strace` against a backend over TLS.',
    `The median counts. At most ${COLLECTIONS_PER_HOUR} garbage collections an hour. \`npm test -- agent-budgets\` fails for a change that exceeds a`,
    'budget; a sample of each minute lists mounts and counts sockets by state.',
    '',
    `| count | ${units.map((unit) => UNITS[unit]).join(' | ')} |`,
    `| --- | ${units.map(() => '---').join(' | ')} |`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n')
}

function backendBudgets(): string {
  const row = (name: string, { statements, rows, buffers, log }: Budget, last: string) =>
    `| ${[name, ...[statements, rows, buffers, log].map(numberOf), last].join(' | ')} |`
  return [
    '## Budgets of the backend',
    '',
    'What a request may cost the database at most, as Postgres reports it of each statement, with 20 hosts, 23 monitors, a heartbeat and',
    'a status page; not the first time, when caches are empty. Pages and log are twice what was counted, because they depend on when a table',
    'was analyzed. A view is all that a page reads when it is opened, with the answers one after the other; `npm test -- dashboard/test/pages`',
    'compares what a browser requests with it. `npm test -- backend/test/budgets` fails for a change that exceeds a budget.',
    '',
    '| work | statements | rows | pages read | bytes of log | bytes sent |',
    '| --- | --- | --- | --- | --- | --- |',
    ...Object.entries(BUDGETS).map(([name, budget]) => row(name, budget, numberOf(budget.sent))),
    row('ten minutes of all jobs, with nothing to do', IDLE_BUDGET, ''),
    '',
    `The jobs end at most ${numberOf(IDLE_BUDGET.wakes)} pauses in these ten minutes.`,
    '',
  ].join('\n')
}

/** docs/performance.md from the last saved result of each bench. */
export function toPage(results: readonly BenchResult[]): string {
  return [
    '# Performance',
    '',
    '`npm run bench -- <name> --save` writes this page. Do not edit it.',
    '',
    'Every figure of a peer was measured in the same run as ours, on the same machine, in turns. A ratio is ours divided by the',
    "peer's: below 1 Vedette needs less. CPU time is that of whole processes with their children, from `/proc`. Absolute numbers depend",
    'on the machine; ratios depend on it less.',
    '',
    '![Ratios to the peers](images/performance.svg)',
    '',
    ...results.map(sectionOf),
    agentBudgets(),
    backendBudgets(),
  ].join('\n')
}

const [WIDTH, LABEL, BAR, ROW] = [880, 470, 360, 22]
/** A ratio of this size fills a bar. */
const FULL = 2

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A bar for each figure that has a peer: the ratio to it; the line is the peer. Ratios above 2 are cut at 2 and carry their number. */
export function toChart(results: readonly BenchResult[]): string {
  const bars = results.flatMap(({ bench, figures }) =>
    figures.flatMap(({ name, peer, ratio }) =>
      peer && ratio !== undefined ? [{ text: `${bench}: ${name}`, peer: peer.name, ratio }] : [],
    ),
  )
  const height = bars.length * ROW + 40
  const lineAt = LABEL + BAR / FULL
  const rows = bars.map(({ text, peer, ratio }, index) => {
    const y = 30 + index * ROW
    const width = Math.max(1, Math.round((Math.min(ratio, FULL) / FULL) * BAR))
    return [
      `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escape(text)}</text>`,
      `<rect x="${LABEL}" y="${y + 3}" width="${width}" height="14" fill="${ratio <= 1 ? '#2f855a' : '#b7791f'}"/>`,
      `<text x="${LABEL + width + 4}" y="${y + 13}">${numberOf(ratio)} × ${escape(peer)}</text>`,
    ].join('')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH + 160}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${lineAt}" y="18" text-anchor="middle">peer = 1</text>`,
    ...rows,
    `<line x1="${lineAt}" y1="24" x2="${lineAt}" y2="${height - 6}" stroke="#1a202c" stroke-dasharray="3 3"/>`,
    '</svg>',
    '',
  ].join('\n')
}
