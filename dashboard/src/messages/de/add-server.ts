import type { addServer as english } from '../en/add-server.ts'
import type { Translation } from '../translation.ts'

export const addServer: Translation<typeof english> = {
  title: 'Server hinzufügen',
  lead: 'Der Agent sendet Messwerte an diese Adresse. Er öffnet keinen Port.',
  createToken: 'Token anlegen',
  createTokenLead:
    'Legt ein Registrierungstoken an: Es registriert innerhalb von 24 Stunden bis zu zehn Server und kann sonst nichts.',
  forbidden: 'Nur Inhaber und Admins können Registrierungstokens anlegen. Eine dieser Personen bitten, den Server hinzuzufügen.',
  expiry: (uses, time) =>
    `Das Token registriert noch ${uses === 1 ? 'einen Server' : `bis zu ${uses.toLocaleString('de')} Server`} bis ${time}. Damit registrierte Server bleiben. Dieser Tab behält es beim Neuladen, bis zur Abmeldung.`,
  ended: 'Das Token gilt nicht mehr: abgelaufen, aufgebraucht oder widerrufen.',
  system: 'Betriebssystem',
  clone: 'Aus einem Klon',
  commands: 'Auf dem Host ausführen',
  notes: {
    unix: 'Eine Zeile installiert den Agenten von diesem Backend, registriert den Host und startet den Dienst. Der Host braucht kein Internet.',
    windows: 'In einer PowerShell als Administrator (Windows 10 1803, Server 2019 oder neuer):',
    docker: 'Der Container liest den Host und ändert dort nichts.',
    compose: 'Eine Compose-Datei. Der Container liest den Host und ändert dort nichts.',
    cloudInit: 'User-Data einer neuen Maschine:',
    ansible: 'Ein Playbook:',
    clone: 'In einem Klon des Repositorys auf dem Host (braucht Node und npm):',
  },
  again: 'Nochmals ausführen, um zu aktualisieren. Mit dem Wort „uninstall“ statt des Tokens entfernt sie alles.',
  loopback: (origin) =>
    `Andere Hosts erreichen ${origin} nicht, das ist dieser Rechner. Diese Seite unter einer Adresse öffnen, die sie erreichen, und dort ein Token anlegen.`,
  plainHttp: 'Diese Adresse benutzt HTTP ohne TLS. Der Befehl erlaubt dem Agenten deshalb, unverschlüsselt zu senden.',
  waiting: 'Warten auf die erste Messung …',
  connected: (name) => `${name} ist verbunden`,
  connectedLead: 'Die erste Messung ist angekommen.',
  open: 'Server öffnen',
  another: 'Weiteren hinzufügen',
  localNote: 'Der Host dieses Backends wird schon überwacht. Nicht noch einmal hinzufügen.',
}
