/** What is found of hosts. */
export const HOSTS = {
  'Disk {name} reports that it is failing': 'Datenträger {name} meldet, dass er ausfällt',
  'Disk {name} has {#n} reallocated sectors (limit {#limit})':
    'Datenträger {name}: {#n} Sektoren wurden ersetzt (Grenze {#limit})',
  'Disk {name} has {#n} sectors that it cannot read (limit {#limit})':
    'Datenträger {name}: {#n} Sektoren sind nicht lesbar (Grenze {#limit})',
  'Disk {name} has counted {#n} media errors (limit {#limit})': 'Datenträger {name}: {#n} Medienfehler (Grenze {#limit})',
  'Disk {name} has used {#n} % of its rated life (limit {#limit} %)':
    'Datenträger {name}: {#n} % der Lebensdauer sind verbraucht (Grenze {#limit} %)',
  'Disk {name} has {#n} % of its spare blocks left (limit {#limit} %)':
    'Datenträger {name}: noch {#n} % der Reserveblöcke (Grenze {#limit} %)',
  'Array {name} is degraded': 'Verbund {name} ist beeinträchtigt',
  'Array {name} is degraded: {#n} of {all} devices are missing':
    'Verbund {name} ist beeinträchtigt: {#n} von {all} Geräten fehlen',
  'Pool {name} has counted {#n} error': 'Pool {name}: {#n} Fehler',
  'Pool {name} has counted {#n} errors': 'Pool {name}: {#n} Fehler',
  'Pool {name} is {state}': 'Pool {name}: Zustand {state}',
  '{name} is {#n} % full (limit {#limit} %)': '{name}: zu {#n} % voll (Grenze {#limit} %)',
  '{name} has used {#n} % of its inodes (limit {#limit} %)': '{name}: {#n} % der Inodes sind belegt (Grenze {#limit} %)',
  '{name} is full in {#n} day if it grows as it did': '{name}: voll in {#n} Tag, wenn es so weitergeht',
  '{name} is full in {#n} days if it grows as it did': '{name}: voll in {#n} Tagen, wenn es so weitergeht',
  'Memory {name} has counted {#n} uncorrected error since the start':
    'Speicher {name}: {#n} nicht behobener Fehler seit dem Start',
  'Memory {name} has counted {#n} uncorrected errors since the start':
    'Speicher {name}: {#n} nicht behobene Fehler seit dem Start',
  'Memory {name} corrects {#n} errors a day (limit {#limit})': 'Speicher {name}: {#n} behobene Fehler am Tag (Grenze {#limit})',
  '{name} is at {#n} °C (critical limit {#limit} °C)': '{name}: {#n} °C (kritische Grenze {#limit} °C)',
  'The battery of UPS {name} is low': 'Die Batterie der USV {name} ist schwach',
  'The battery of UPS {name} is at {#n} % (limit {#limit} %)': 'Die Batterie der USV {name}: {#n} % (Grenze {#limit} %)',
  'UPS {name} runs on battery': 'USV {name}: Batteriebetrieb',
  'UPS {name} runs on battery, which is at {#n} %': 'USV {name}: Batteriebetrieb, Ladung {#n} %',
  'Unit {name} has failed': 'Dienst {name}: fehlgeschlagen',
  '{#n} more unit has failed': '{#n} weiterer Dienst: fehlgeschlagen',
  '{#n} more units have failed': '{#n} weitere Dienste: fehlgeschlagen',
  'Container {name} was killed for lack of memory {#n} time in the last 24 hours':
    'Container {name}: in den letzten 24 Stunden {#n}-mal aus Speichermangel beendet',
  'Container {name} was killed for lack of memory {#n} times in the last 24 hours':
    'Container {name}: in den letzten 24 Stunden {#n}-mal aus Speichermangel beendet',
  'The kernel killed {#n} process of container {name} for lack of memory':
    'Der Kernel hat {#n} Prozess aus Speichermangel beendet, in Container {name}',
  'The kernel killed {#n} processes of container {name} for lack of memory':
    'Der Kernel hat {#n} Prozesse aus Speichermangel beendet, in Container {name}',
  'The health check of container {name} fails': 'Container {name}: die Prüfung seines Zustands schlägt fehl',
  'Container {name} restarts: it ended {#n} times in 15 minutes':
    'Container {name} startet immer neu: {#n}-mal beendet, 15 Minuten',
  'Container {name} restarts: it ended {#n} times in 15 minutes, exit code {code}':
    'Container {name} startet immer neu: {#n}-mal beendet, 15 Minuten, Code {code}',
  'Container {name} restarts: it ended {#n} time in 15 minutes':
    'Container {name} startet immer neu: {#n}-mal beendet, 15 Minuten',
  'Container {name} restarts: it ended {#n} time in 15 minutes, exit code {code}':
    'Container {name} startet immer neu: {#n}-mal beendet, 15 Minuten, Code {code}',
  'Container {name} has ended and does not run': 'Container {name}: beendet, läuft nicht',
  'Container {name} has ended and does not run, exit code {code}': 'Container {name}: beendet, läuft nicht, Code {code}',
  'All tasks wait for memory {#n} % of the time (limit {#limit} %)':
    'Alle Prozesse warten {#n} % der Zeit auf Speicher (Grenze {#limit} %)',
  "The kernel's {~what} is {#n} % full (limit {#limit} %)": 'Kernel, {~what}: zu {#n} % voll (Grenze {#limit} %)',
  'connection tracking table': 'Tabelle der Verbindungen',
  'table of open files': 'Tabelle offener Dateien',
  'table of processes': 'Tabelle der Prozesse',
  'The clock is {#n} s off (limit {#limit} s)': 'Die Uhr geht {#n} s falsch (Grenze {#limit} s)',
  'The agent dropped samples that it could not deliver: {#n} since its installation':
    'Der Agent hat Messwerte verworfen, die er nicht zustellen konnte: {#n} seit seiner Einrichtung',
  'The agent skipped damaged records of its spool: {#n} since its installation':
    'Der Agent hat beschädigte Einträge seines Puffers übersprungen: {#n} seit seiner Einrichtung',
  '{#n} security update of {name} is pending': '{#n} Sicherheitsaktualisierung steht aus ({name})',
  '{#n} security updates of {name} are pending': '{#n} Sicherheitsaktualisierungen stehen aus ({name})',
  'An update needs a restart of the host': 'Eine Aktualisierung verlangt einen Neustart',
} as const satisfies Readonly<Record<string, string>>
