export { SCHEMAS } from './schemas.ts'
export { traitsOf } from './traits.ts'
export { OPENAPI_INFO } from './info.ts'
