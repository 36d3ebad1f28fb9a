export { setupFeature } from './feature.ts'

export { claimSecrets, isSetupRequired, setAllowPrivateTargets, setUpFromSettings, setupCode } from './service.ts'
export { claimOnce } from './store.ts'
