export { IncidentView as default } from './details.tsx'
