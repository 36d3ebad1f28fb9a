export { setupRoutes } from './routes.ts'
export { claimSecrets, isSetupRequired, setUpFromSettings, setupCode } from './service.ts'
export { claimOnce, putAllowPrivateTargets } from './store.ts'
