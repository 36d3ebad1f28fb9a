import { randomBytes } from '../../../../../platform/crypto/random.ts'
import type { Datagrams } from '../conversation/datagram.ts'
import { communityMessage, decodeCommunityMessage, getRequest, PDU, type Pdu } from './message.ts'

/** Reads values of one device. */
export interface Session {
  get(oids: readonly string[]): Promise<Pdu>
}

const VERSIONS = { '1': 0, '2c': 1 } as const

export const communitySession = ({ request }: Datagrams, version: '1' | '2c', community: string): Session => ({
  get(oids) {
    const id = randomBytes(4).readUInt32BE() & 0x7fffffff
    return request(communityMessage(VERSIONS[version], community, getRequest(id, oids)), (answer) => {
      const pdu = decodeCommunityMessage(answer, VERSIONS[version])
      return pdu?.tag === PDU.response && pdu.requestId === id ? pdu : undefined
    })
  },
})
