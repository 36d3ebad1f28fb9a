export { weeklySummaryFeature } from './feature.ts'
export { summaryEncrypter } from './link.ts'

export { sendWeeklySummaries } from './service.ts'
