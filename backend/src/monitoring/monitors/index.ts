export { monitorFeature } from './feature.ts'
export type { Prober } from './deps.ts'

export { monitorEncrypter } from './encrypter.ts'
export { readMonitorOverview, readMonitorStates } from './overview.ts'

export { provisionHeartbeat } from './service.ts'
export { findMonitorNumber } from './store.ts'
export { monitorResource } from './routes.ts'
