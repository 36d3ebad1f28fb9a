export { type DownThing, findDown } from './down-store.ts'
export { keyOf } from './graph.ts'
export { findExisting, lockDependencies } from './graph-store.ts'
export { type ChangedThing, refuseCycles, resolveDependencies, showDependencies } from './service.ts'
