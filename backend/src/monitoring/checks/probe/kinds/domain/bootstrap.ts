/** RFC 9224: top-level domains, and the RDAP servers that know their domains. */
type Services = readonly (readonly [domains: readonly string[], servers: readonly string[]])[]

/**
 * A part of the registry of IANA (data.iana.org/rdap/dns.json), as of 2025-03-04. What is missing here, or has moved since, is read by
 * WHOIS, whose servers IANA names for every top-level domain.
 */
const SERVICES: Services = [
  [['com'], ['https://rdap.verisign.com/com/v1/']],
  [['net'], ['https://rdap.verisign.com/net/v1/']],
  [['org'], ['https://rdap.publicinterestregistry.org/rdap/']],
  [['ai', 'email', 'info', 'live', 'mobi', 'news', 'pro'], ['https://rdap.identitydigital.services/rdap/']],
  [['app', 'dev', 'page'], ['https://pubapi.registry.google/rdap/']],
  [['biz'], ['https://rdap.nic.biz/']],
  [['blog'], ['https://rdap.centralnic.com/blog/']],
  [['br'], ['https://rdap.registro.br/']],
  [['ca'], ['https://rdap.ca.fury.ca/rdap/']],
  [['cc'], ['https://tld-rdap.verisign.com/cc/v1/']],
  [['cloud'], ['https://rdap.registry.cloud/rdap/']],
  [['club'], ['https://rdap.nic.club/']],
  [['cz'], ['https://rdap.nic.cz/']],
  [['fi'], ['https://rdap.fi/rdap/rdap/']],
  [['fr'], ['https://rdap.nic.fr/']],
  [['id'], ['https://rdap.pandi.id/rdap/']],
  [['is'], ['https://rdap.isnic.is/rdap/']],
  [['name'], ['https://tld-rdap.verisign.com/name/v1/']],
  [['nl'], ['https://rdap.sidn.nl/']],
  [['no'], ['https://rdap.norid.no/']],
  [['shop'], ['https://rdap.gmoregistry.net/rdap/']],
  [['si'], ['https://rdap.register.si/']],
  [['tv'], ['https://rdap.nic.tv/']],
  [['uk'], ['https://rdap.nominet.uk/uk/']],
  [['xyz'], ['https://rdap.centralnic.com/xyz/']],
]

const SERVERS = new Map(
  SERVICES.flatMap(([domains, [server]]) => (server === undefined ? [] : domains.map((one) => [one, server] as const))),
)

/** The RDAP server of a domain; undefined where none is known. */
export const rdapServerOf = (name: string): string | undefined => SERVERS.get(name.slice(name.lastIndexOf('.') + 1))
