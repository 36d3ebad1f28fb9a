// What pages with the health of servers need: one file, since a phone waits for each.
export { entities } from './entities.ts'
export { findings } from './findings.ts'
export { metrics } from './metrics.ts'
