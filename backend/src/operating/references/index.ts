export { lockReferences, removeFromSteps } from './store.ts'
