export type { App } from './app.ts'
export { addEtags, type ChangedResource, type Changing } from './etag.ts'
export { addVary, chooseEncoding, compress } from './compression.ts'
export { createCreating, type Creating, type Creation, requireIdempotency } from './creating.ts'
export {
  type DescribedRoute,
  isDescribed,
  publishOpenApi,
  type Refusal,
  type Traits,
  type OpenApiTexts,
} from './openapi/index.ts'
export { toApiError } from './envelope.ts'
export { certainFaults, type IsRefused, type OwnFaults, requireNoFaults } from './own-faults.ts'
export { originOf } from './origin.ts'
export { pageOf } from './page-query.ts'
export { decodeText, inflateBody } from './json-body.ts'
export { createPlainBodyHook } from './plain-body.ts'
export {
  createUnlimited,
  type LimitGroup,
  isOfDashboard,
  limitGroup,
  limitHeaders,
  limitKeyOfAddress,
  type Limits,
  type LimitState,
  type RateLimiter,
  WINDOW_MS,
} from './rate-limit.ts'
export { noContent, NoContent } from './no-content.ts'
export { routeOf } from './route-methods.ts'
export { writeWithoutSchema } from './lazy-serializer.ts'
export { answerInFirstHook } from './first-hook-route.ts'
export { takeForms } from './form-body.ts'
export { createServer, pathOf } from './server.ts'
export { isAdmittedPage } from './page-limit.ts'
export { invalidLinkPage, PLAIN_PAGE_HEADERS, type PageItem, plainPage, readerLanguage } from './plain-page.ts'
export { toDetails } from './validation-messages.ts'
