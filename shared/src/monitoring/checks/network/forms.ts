/** Which network options are no texts, choices or boxes: apart from the table, whose texts most pages do not need. */
export const NETWORK_FORMS: Readonly<Partial<Record<string, 'list' | 'number'>>> = {
  alpn: 'list',
  dns_servers: 'list',
  max_body_bytes: 'number',
}
