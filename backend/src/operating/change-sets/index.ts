export { changeSetEncrypter } from './content.ts'
export { changeSetFeature } from './feature.ts'
export { createKinds } from './kinds.ts'
export { recordHandChanges } from './hand-changes.ts'
