export { urlFault } from './program/client.ts'
export { startProbe } from './program/program.ts'
export { probeRoutes } from './routes.ts'
