export { summaryEncrypter } from './link.ts'
export { weeklySummaryRoutes } from './routes.ts'
export { sendWeeklySummaries } from './service.ts'
