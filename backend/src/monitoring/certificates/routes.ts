import {
  CertificateDetails,
  CertificateList,
  CertificateListQuery,
  CertificateParams,
  CreateCertificateBody,
  PatchCertificateBody,
} from '@vedette/shared'
import { defineResource, ORGANIZATION_DELETED, resourceRoutes } from '../../access/auth/index.ts'
import { createCertificate, deleteCertificate, getCertificate, listCertificates, patchCertificate } from './service.ts'
import { lockCertificate } from './store.ts'

const SEEN = { 409: 'A check saw it: only those added by hand change' }

const certificateResource = defineResource({
  kind: 'certificate',
  path: '/v1/certificates',
  operation: ['Certificate', 'Certificates'],
  noun: ['a certificate', 'certificates'],
  tags: ['monitors'],
  access: { read: 'read', change: 'monitors:update' },
  schemas: {
    params: CertificateParams,
    query: CertificateListQuery,
    list: CertificateList,
    details: CertificateDetails,
    create: CreateCertificateBody,
    patch: PatchCertificateBody,
  },
  texts: {
    list: 'Those that checks see now, those in files of hosts, and those added by hand, the soonest end first: of the certificate or of its chain.',
    create: 'Adds one that no check sees, by its name and end.',
    get: 'With the chain that was sent, and the regions of monitors that see it and files of hosts that have it. One that was replaced can be read while a region remembers it.',
    update: 'Changes only the fields that are given, of one that was added by hand.',
    delete: 'Of one that was added by hand.',
  },
  refuses: {
    create: {
      ...ORGANIZATION_DELETED,
      409: '1,000 were added by hand, or the request contradicts an earlier one with its Idempotency-Key',
    },
    update: SEEN,
    delete: SEEN,
  },
  lock: lockCertificate,
  list: listCertificates,
  get: getCertificate,
  create: createCertificate,
  patch: patchCertificate,
  delete: deleteCertificate,
})

export const certificateRoutes = resourceRoutes(certificateResource)
