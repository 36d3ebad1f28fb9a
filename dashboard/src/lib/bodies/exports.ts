export { CreateExportBody, PatchExportBody } from '@vedette/shared'
