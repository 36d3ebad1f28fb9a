export { annotationFeature } from './feature.ts'
