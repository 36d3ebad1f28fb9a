import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const FOLDER = join(import.meta.dirname, '../../../../../integrations/grafana')
export const boards = readdirSync(join(FOLDER, 'dashboards')).map((file) =>
  JSON.parse(readFileSync(join(FOLDER, 'dashboards', file), 'utf8')),
)
/** Those that a Prometheus which scrapes has data for; the others need what Vedette alone stores. */
const SCRAPED = new Set(['vedette-hosts', 'vedette-containers', 'vedette-monitors'])
export const scraped = boards.filter(({ uid }) => SCRAPED.has(uid))

/** Every `expr` of dashboards, with its panel. */
export const queriesOf = (some: typeof boards): [title: string, expr: string][] =>
  some.flatMap((board) =>
    board.panels.flatMap((panel: { title: string; targets: { expr: string }[] }) =>
      panel.targets.map(({ expr }): [string, string] => [`${board.title}, ${panel.title}`, expr]),
    ),
  )

/** The lists at the top of dashboards. */
export const listsOf = (some: typeof boards): string[] =>
  some.flatMap(({ templating }) => templating.list.flatMap(({ definition }: { definition?: string }) => definition ?? []))

/** What Grafana does to an expression before it sends it. */
export const filled = (expr: string) => expr.replaceAll(/\$(instance|container|region|slo)\b/g, '.*').replaceAll('$__range', '1h')
