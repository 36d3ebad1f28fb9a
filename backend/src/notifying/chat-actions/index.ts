export { chatActionFeature } from './feature.ts'
export { chatActionRoutes } from './routes.ts'
