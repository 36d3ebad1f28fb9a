export { CreateMaintenanceWindowBody } from '@vedette/shared'
