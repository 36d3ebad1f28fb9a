export { CreateSloBody } from '@vedette/shared'
