export { annotationFeature } from './feature.ts'
export { addAnnotation, type AnnotationDeps } from './service.ts'
