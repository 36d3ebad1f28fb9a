import { RDAP_SERVERS } from './rdap-servers.ts'

/** RFC 9224, by top-level domain. What is missing, or has moved since, is read by WHOIS, whose servers IANA names for each. */
const SERVERS = new Map(
  RDAP_SERVERS.trim()
    .replaceAll('\n  ', ' ')
    .split('\n')
    .flatMap((line) => {
      const [server = '', ...domains] = line.split(' ')
      return domains.map((one) => [one, `https://${server.replaceAll('TLD', one)}/`] as const)
    }),
)

/** The RDAP server of a domain; undefined where none is known. */
export const rdapServerOf = (name: string): string | undefined => SERVERS.get(name.slice(name.lastIndexOf('.') + 1))
