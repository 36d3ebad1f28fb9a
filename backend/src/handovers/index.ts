export { sendHandoverMails } from './service.ts'
