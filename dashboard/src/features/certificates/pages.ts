/** The pages of the feature, in one chunk. */
export { CertificatePage } from './details.tsx'
export { CertificateListPage } from './list.tsx'
