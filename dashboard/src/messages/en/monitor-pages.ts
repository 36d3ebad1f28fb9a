// What pages of monitors need: one file, since a phone waits for each.
export { checkNow } from './check-now.ts'
export { composites } from './composites.ts'
export { heartbeats } from './heartbeats.ts'
export { kindFacts } from './kind-facts.ts'
