export { statusPageFeature } from './feature.ts'
export { createPageCopies, type PageCopies } from './copies/copies.ts'
export { readStoredPages } from './copies/stored.ts'

export { createPageKeys } from './pages/keys.ts'

export { rewriteOwnDomain } from './public/own-domain.ts'
export { publicPageRoutes } from './public/routes.ts'
export { listMonitorsOfPage } from './reading/read.ts'
export { pageResource } from './pages/routes.ts'
