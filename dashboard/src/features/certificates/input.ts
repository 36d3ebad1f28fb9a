import type { Certificate, CreateCertificateBody } from '@vedette/shared'
import { viewerZone } from '../../lib/time.ts'
import { instantText, localTimeAt } from '../../lib/time-zone.ts'

export interface CertificateInput {
  name: string
  /** `2027-03-31T23:59`, in the zone of the viewer. */
  end: string
}

export const toInput = (one: Certificate | undefined): CertificateInput => ({
  name: one?.name ?? '',
  end: one ? localTimeAt(Date.parse(one.not_after), viewerZone()) : '',
})

export const toBody = ({ name, end }: CertificateInput): CreateCertificateBody => ({
  name: name.trim(),
  not_after: end === '' ? '' : instantText(end, viewerZone()),
})
