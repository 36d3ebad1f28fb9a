export { PatchServerBody } from '@vedette/shared'
