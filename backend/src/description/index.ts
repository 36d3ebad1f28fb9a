export { SCHEMAS } from './schemas.ts'
export { traitsOf } from './traits.ts'
export { WORDS } from './words.ts'
