import type { NetworkTexts } from '../translation.ts'

export const networkTexts: NetworkTexts = {
  invert: { label: 'Soll scheitern', hint: 'in Ordnung wird ausgefallen und umgekehrt; beeinträchtigt bleibt' },
  connect_to: {
    label: 'Verbinden mit',
    hint: 'eine Adresse oder ein Host, mit oder ohne Port; in TLS und in der Anfrage bleibt der Host der Adresse oben',
  },
  ip_family: { label: 'Adressfamilie', hint: 'both: prüft über IPv4 und über IPv6 und ist ausgefallen, wenn eines scheitert' },
  source_address: { label: 'Absenderadresse', hint: 'eine Adresse der Sonde, von der Verbindungen ausgehen' },
  dns_servers: { label: 'Nameserver', hint: 'Adressen, mit oder ohne Port, eine je Zeile; ohne sie gelten die der Sonde' },
  proxy_url: {
    label: 'Proxy',
    hint: 'http:// (CONNECT) oder socks5://, mit einem Benutzernamen, wenn er einen braucht, wie socks5://ada@proxy.example.com:1080',
  },
  proxy_resolves: { label: 'Der Proxy löst den Namen auf', hint: 'nur, wo private Ziele für Prüfungen offen sind' },
  proxy_password: { label: 'Passwort des Proxys', hint: 'des Benutzers, den die URL des Proxys nennt' },
  http_version: { label: 'HTTP-Version', hint: 'auto: HTTP/1.1, und HTTP/2, wo das Ziel nichts anderes spricht' },
  alpn: { label: 'ALPN-Protokolle', hint: 'im TLS-Handshake angeboten, in dieser Reihenfolge, eines je Zeile' },
  max_body_bytes: {
    label: 'Aufbewahrte Antwort',
    hint: '0–65.536 Bytes des Inhalts als Beweis eines Fehlers; über 1.024 verschlüsselt, 7 Tage lang',
  },
  keep_response: { label: 'Antworten aufbewahren', hint: 'als Beweis eines Fehlers' },
}
