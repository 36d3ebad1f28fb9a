export { setupRoutes } from './routes.ts'
export { claimSecrets, isSetupRequired, setAllowPrivateTargets, setUpFromSettings, setupCode } from './service.ts'
export { claimOnce } from './store.ts'
