export { type ChangedThing, refuseCycles, resolveDependencies, showDependencies } from './service.ts'
