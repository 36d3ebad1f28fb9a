import type { exports as english } from '../en/exports.ts'
import type { Translation } from '../translation.ts'

export const exports: Translation<typeof english> = {
  title: 'Messwerte weitersenden',
  lead: 'Messwerte gehen an ein Prometheus, einen anderen Speicher oder einen Collector, sobald sie gespeichert sind.',
  empty: {
    title: 'Nichts wird weitergesendet',
    lead: 'Fügen Sie die Adresse eines Empfängers von Remote Write oder OTLP hinzu.',
  },
  add: 'Export hinzufügen',
  edit: 'Bearbeiten',
  remove: 'Löschen',
  removeTitle: 'Export löschen?',
  removeLead: 'Was noch nicht gesendet ist, wird nicht gesendet.',
  removed: 'Export gelöscht',
  saved: 'Export gespeichert',
  save: 'Speichern',
  disabled: 'deaktiviert',
  name: 'Name',
  kind: 'Protokoll',
  kinds: { remote_write: 'Remote Write 1.0', otlp: 'OTLP' },
  url: 'URL',
  urlHint: 'Die ganze Adresse, zum Beispiel https://metrics.example.com/api/v1/write',
  headers: 'Header',
  headersHint: 'Einer je Zeile, zum Beispiel Authorization: Bearer abc. Ein Wert ••• bleibt, wie er ist.',
  samples: 'Was gesendet wird',
  sampleKinds: {
    hosts: 'Messwerte von Hosts',
    entities: 'Container, Festplatten, Dienste und eigene Metriken von Hosts',
    series: 'Zeitreihen anderer Programme',
  },
  enabled: 'Aktiv',
  managed: (setting) => `Vom Betreiber eingestellt (${setting})`,
  never: 'Noch nichts gesendet',
  sent: (values, lag) => `${values} Werte gesendet · gesendet bis vor ${lag}`,
  dropped: (values) => `${values} Werte vom Empfänger abgelehnt`,
  skipped: (samples) => `${samples} Messwerte waren weg, bevor sie gesendet werden konnten`,
}
