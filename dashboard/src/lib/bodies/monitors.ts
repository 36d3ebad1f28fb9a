export { CreateMonitorBody } from '@vedette/shared'
