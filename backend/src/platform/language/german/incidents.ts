/** Rules, incidents and what is said about them. */
export const INCIDENTS = {
  // Names of default rules.
  'Disk failing': 'Datenträger fällt aus',
  'Array degraded': 'Verbund beeinträchtigt',
  'Pool degraded': 'Pool beeinträchtigt',
  'Filesystem full': 'Dateisystem voll',
  'Inodes used up': 'Inodes aufgebraucht',
  'Memory errors': 'Speicherfehler',
  'Temperature critical': 'Temperatur kritisch',
  'UPS battery low': 'USV-Batterie schwach',
  'UPS on battery': 'USV im Batteriebetrieb',
  'Unit failed': 'Dienst fehlgeschlagen',
  'Container out of memory': 'Container ohne Speicher',
  'Container unhealthy': 'Container nicht gesund',
  'Container restarting': 'Container startet immer neu',
  'Container exited': 'Container beendet',
  'Filesystem full soon': 'Dateisystem bald voll',
  'Disk worn': 'Datenträger verschlissen',
  'Memory pressure': 'Speicherdruck',
  'Kernel limit': 'Kernel-Grenze',
  'Clock off': 'Uhr geht falsch',
  'Samples dropped': 'Messwerte verworfen',
  'Security updates pending': 'Sicherheitsaktualisierungen stehen aus',
  'Restart required': 'Neustart nötig',
  'Monitor down': 'Monitor ausgefallen',
  'Server offline': 'Server nicht erreichbar',
  'Filesystem above 90 %': 'Dateisystem über 90 %',
  'Memory above 95 %': 'Speicher über 95 %',
  // Titles of incidents, and why they ended.
  '{name}: no longer found: {~what}': '{name}: nicht mehr gefunden: {~what}',
  '{name} is offline (last seen {clock})': '{name}: nicht erreichbar (zuletzt gesehen {clock})',
  '{name} is online (last seen {clock})': '{name}: wieder erreichbar (zuletzt gesehen {clock})',
  '{name} has not sent a sample (registered {clock})': '{name}: noch keine Messwerte (angemeldet {clock})',
  '{name} is down: {~why}': '{name}: ausgefallen: {~why}',
  '{name} is degraded: {~why}': '{name}: beeinträchtigt: {~why}',
  '{name} is up: {~why}': '{name}: läuft wieder: {~why}',
  '{name} is slow: {#n} {unit} mean over {span} (threshold {#limit} {of})':
    '{name}: langsam: {#n} {unit} im Mittel über {span} (Schwelle {#limit} {of})',
  '{name} is slow: {#n} {unit} (threshold {#limit} {of})': '{name}: langsam: {#n} {unit} (Schwelle {#limit} {of})',
  '{name}: {~what} {#n} {unit} mean over {span} (threshold {#limit} {of})':
    '{name}: {~what} {#n} {unit} im Mittel über {span} (Schwelle {#limit} {of})',
  '{name}: {~what} {#n} {unit} (threshold {#limit} {of})': '{name}: {~what} {#n} {unit} (Schwelle {#limit} {of})',
  '{name}: {~what} {#n} {unit} mean over {span} (threshold: below {#limit} {of})':
    '{name}: {~what} {#n} {unit} im Mittel über {span} (Schwelle: unter {#limit} {of})',
  '{name}: {~what} {#n} {unit} (threshold: below {#limit} {of})': '{name}: {~what} {#n} {unit} (Schwelle: unter {#limit} {of})',
  '{name}: {~what} {#n} {unit} (threshold: equal to {#limit} {of})':
    '{name}: {~what} {#n} {unit} (Schwelle: gleich {#limit} {of})',
  '{name}: {what} {#n} mean over {span} (threshold {#limit})': '{name}: {what} {#n} im Mittel über {span} (Schwelle {#limit})',
  '{name}: {what} {#n} (threshold {#limit})': '{name}: {what} {#n} (Schwelle {#limit})',
  '{name}: {what} {#n} mean over {span} (threshold: below {#limit})':
    '{name}: {what} {#n} im Mittel über {span} (Schwelle: unter {#limit})',
  '{name}: {what} {#n} (threshold: below {#limit})': '{name}: {what} {#n} (Schwelle: unter {#limit})',
  '{name}: {what} {#n} (threshold: equal to {#limit})': '{name}: {what} {#n} (Schwelle: gleich {#limit})',
  '{name}: {mount} is {#n} % full (threshold {#limit} %)': '{name}: {mount} zu {#n} % voll (Schwelle {#limit} %)',
  '{name}: {mount} is {#n} % full mean over {span} (threshold {#limit} %)':
    '{name}: {mount} zu {#n} % voll, im Mittel über {span} (Schwelle {#limit} %)',
  '{name}: certificate expires in {#n} days (threshold: below {#limit} days)':
    '{name}: Zertifikat läuft in {#n} Tagen ab (Schwelle: unter {#limit} Tage)',
  '{name}: certificate or its chain expires in {#n} days (threshold: below {#limit} days)':
    '{name}: Zertifikat oder seine Kette läuft in {#n} Tagen ab (Schwelle: unter {#limit} Tage)',
  '{name}: certificate or its chain expires in {#n} days (threshold {#limit} days)':
    '{name}: Zertifikat oder seine Kette läuft in {#n} Tagen ab (Schwelle {#limit} Tage)',
  '{name}: certificate or its chain expires in {#n} days (threshold: equal to {#limit} days)':
    '{name}: Zertifikat oder seine Kette läuft in {#n} Tagen ab (Schwelle: gleich {#limit} Tage)',
  '{name}: the certificate changed from issuer {~old} to issuer {~new}':
    '{name}: das Zertifikat wechselte von Aussteller {~old} zu Aussteller {~new}',
  '{name}: the certificate changed from another one to issuer {~new}': '{name}: das Zertifikat wechselte zu Aussteller {~new}',
  '{name}: the certificate has not changed for a day': '{name}: das Zertifikat hat seit einem Tag nicht gewechselt',
  '{name}: certificate {~where} expires in {#n} days (threshold: below {#limit} days)':
    '{name}: Zertifikat {~where} läuft in {#n} Tagen ab (Schwelle: unter {#limit} Tagen)',
  '{name}: certificate {~where} changed from issuer {~old} to issuer {~new}':
    '{name}: Zertifikat {~where} wechselte von Aussteller {~old} zu Aussteller {~new}',
  '{name}: certificate {~where} changed from another one to issuer {~new}':
    '{name}: Zertifikat {~where} wechselte zu Aussteller {~new}',
  '{name}: weak certificate {~where}: {~what}': '{name}: schwaches Zertifikat {~where}: {~what}',
  '{name}: no certificate has changed for a day': '{name}: seit einem Tag hat kein Zertifikat gewechselt',
  '{name}: no certificate is weak': '{name}: kein Zertifikat ist schwach',
  '{name}: no certificate is reported any more': '{name}: es wird kein Zertifikat mehr gemeldet',
  '{name}: weak certificate: {~what}': '{name}: schwaches Zertifikat: {~what}',
  '{name}: the certificate is not weak': '{name}: das Zertifikat ist nicht schwach',
  '{name}: the certificate is for another name: {~names}': '{name}: das Zertifikat gilt für einen anderen Namen: {~names}',
  '{name}: the certificate is for its name': '{name}: das Zertifikat gilt für seinen Namen',
  '{name}: regions see {#n} different certificates': '{name}: Regionen sehen {#n} verschiedene Zertifikate',
  '{name}: the certificate was revoked on {date}': '{name}: das Zertifikat wurde am {date} widerrufen',
  '{name}: the certificate is not revoked': '{name}: das Zertifikat ist nicht widerrufen',
  '{name}: regions see the same certificate': '{name}: Regionen sehen dasselbe Zertifikat',
  'response time': 'Antwortzeit',
  memory: 'Speicher',
  '{name} needs a restart': '{name}: Neustart nötig',
  '{name} needs no restart': '{name}: kein Neustart nötig',
  '{name}: no failed units': '{name}: keine fehlgeschlagenen Dienste',
  '{name}: no process is missing': '{name}: alle Prozesse laufen',
  '{name}: {#n} failed unit: {names}': '{name}: {#n} fehlgeschlagener Dienst: {names}',
  '{name}: {#n} failed units: {names}': '{name}: {#n} fehlgeschlagene Dienste: {names}',
  '{name}: process {names} is missing': '{name}: Prozess {names} fehlt',
  '{name}: {#n} processes are missing: {names}': '{name}: {#n} Prozesse fehlen: {names}',
  '{name}: {~what} is full in {#n} days ({#from} to {#to}; threshold: below {#limit} days)':
    '{name}: {~what} voll in {#n} Tagen ({#from} bis {#to}; Schwelle: unter {#limit} Tage)',
  '{name}: {~what} is full in {#n} hours ({#from} to {#to}; threshold: below {#limit} days)':
    '{name}: {~what} voll in {#n} Stunden ({#from} bis {#to}; Schwelle: unter {#limit} Tage)',
  '{name}: {~what} is full in {#n} days ({#from} or more; threshold: below {#limit} days)':
    '{name}: {~what} voll in {#n} Tagen ({#from} oder mehr; Schwelle: unter {#limit} Tage)',
  '{name}: {~what} is full in {#n} hours ({#from} or more; threshold: below {#limit} days)':
    '{name}: {~what} voll in {#n} Stunden ({#from} oder mehr; Schwelle: unter {#limit} Tage)',
  '{name}: {~what} does not fill as it did (threshold: below {#limit} days)':
    '{name}: {~what} füllt sich nicht mehr wie zuvor (Schwelle: unter {#limit} Tage)',
  '{name}: no checks in the last {span}': '{name}: keine Prüfungen in {span}',
  '{name}: burn rate {#n} over {span} (threshold {#limit}, {#bad} of {#all} checks bad)':
    '{name}: Fehlerbudget {#n}-fach verbraucht über {span} (Schwelle {#limit}, {#bad} von {#all} Prüfungen schlecht)',
  '{name}: burn rate {#n} over {span} (threshold {#limit}, {#bad} of {#all} checks bad; one bad check is enough, there are too few to decide)':
    '{name}: Fehlerbudget {#n}-fach verbraucht über {span} (Schwelle {#limit}, {#bad} von {#all} Prüfungen schlecht; eine schlechte genügt, für mehr sind es zu wenige)',
  'the rule was changed': 'die Regel wurde geändert',
  'the rule was deleted': 'die Regel wurde gelöscht',
  'the rule no longer applies': 'die Regel gilt nicht mehr',
  'the monitor was deleted': 'der Monitor wurde gelöscht',
  'the server was deleted': 'der Server wurde gelöscht',
  'the SLO was changed': 'das SLO wurde geändert',
  'the SLO was deleted': 'das SLO wurde gelöscht',
  'the monitor was paused': 'der Monitor wurde angehalten',
  // Steps of incidents.
  acknowledged: 'quittiert',
  'acknowledged until {at}': 'quittiert bis {at}',
  'acknowledged by {name}': 'quittiert von {name}',
  'acknowledged until {at} by {name}': 'quittiert bis {at} von {name}',
  'resolved manually': 'von Hand gelöst',
  'resolved manually by {name}': 'von Hand gelöst von {name}',
  'opened again: it was acknowledged, but is not resolved': 'wieder geöffnet: quittiert, aber nicht gelöst',
  'notifications suppressed by the maintenance window {name}': 'Benachrichtigungen unterdrückt, Wartungsfenster {name}',
  'notifications suppressed: server {name} is offline': 'Benachrichtigungen unterdrückt: Server {name} nicht erreichbar',
  'notifications suppressed: monitor {name} is down': 'Benachrichtigungen unterdrückt: Monitor {name} ausgefallen',
  'notifications resumed': 'Benachrichtigungen wieder an',
  'notified after the next check of what it depends on': 'Benachrichtigung nach der nächsten Prüfung dessen, wovon es abhängt',
  'flapping, {#n} incidents in the last hour: notified if it lasts 5 minutes':
    'wechselt ständig, {#n} Vorfälle in einer Stunde: Benachrichtigung nach 5 Minuten Dauer',
  '{#n} changes of the status within an hour': '{#n} Wechsel des Status in einer Stunde',
  'the status is {~status} without a further change': 'der Status bleibt {~status}',
  up: 'in Ordnung',
  down: 'ausgefallen',
  degraded: 'beeinträchtigt',
  'step {#n} of {name}: nobody can be reached': 'Stufe {#n} von {name}: niemand ist erreichbar',
  'step {#n} of {name}: {names}': 'Stufe {#n} von {name}: {names}',
  // Messages.
  'Flapping: {~what}': 'Wechselt ständig: {~what}',
  'No longer flapping: {~what}': 'Wechselt nicht mehr: {~what}',
  'Acknowledged: {~what}': 'Quittiert: {~what}',
  'Resolved: {~what}': 'Gelöst: {~what}',
  'Still open: {~what}': 'Noch offen: {~what}',
  'critical: {~what}': 'kritisch: {~what}',
  'warning: {~what}': 'Warnung: {~what}',
  'info: {~what}': 'Hinweis: {~what}',
  'severity: {~what}': 'Schwere: {~what}',
  critical: 'kritisch',
  warning: 'Warnung',
  info: 'Hinweis',
  'monitor: {name}': 'Monitor: {name}',
  'server: {name}': 'Server: {name}',
  'slo: {name}': 'SLO: {name}',
  'opened: {at}': 'geöffnet: {at}',
  'resolved: {at}': 'gelöst: {at}',
  'since: {at}': 'seit: {at}',
  'event: {type}': 'Ereignis: {type}',
  '{#n} incidents opened': '{#n} Vorfälle geöffnet',
  '{#n} incidents resolved': '{#n} Vorfälle gelöst',
  '{#n} incidents: {~what}': '{#n} Vorfälle: {~what}',
  'and {#n} more': 'und {#n} weitere',
  // Why incidents are one story.
  'servers with the tag {tag} are offline': 'Server mit dem Tag {tag} sind nicht erreichbar',
  'the error budget of {name} burns too fast': 'das Fehlerbudget von {name} wird zu schnell verbraucht',
  'several rules on {name}': 'mehrere Regeln zu {name}',
  'what depends on {name}': 'was von {name} abhängt',
} as const satisfies Readonly<Record<string, string>>

const CHANGED = {
  Monitor: 'Monitor',
  Server: 'Server',
  Slo: 'SLO',
  'Alert rule': 'Regel',
  'Escalation policy': 'Eskalationsplan',
  'Maintenance window': 'Wartungsfenster',
  Schedule: 'Plan',
}
const CHANGES_TO = {
  created: 'angelegt',
  updated: 'geändert',
  deleted: 'gelöscht',
  restored: 'wiederhergestellt',
  paused: 'angehalten',
  resumed: 'fortgesetzt',
  registered: 'angemeldet',
  reregistered: 'wieder angemeldet',
  'token regenerated': 'mit neuem Token',
  'calendar created': 'mit neuem Kalender',
  'calendar deleted': 'ohne Kalender',
}

/** What somebody changed while an incident was open: entries of the audit log as sentences. */
export const CHANGES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CHANGED).flatMap(([noun, german]) =>
    Object.entries(CHANGES_TO).map(([change, word]) => [`${noun} ${change}`, `${german} ${word}`]),
  ),
)
