import { Type } from 'typebox';
import { oneOf, Timestamp, Uuid } from '../../../wire/schema.ts';
import { shape } from '../../../wire/shape.ts';

/** A resource of FHIR R4, see http://hl7.org/fhir/R4. The schema declares only the fields that every resource has. */
const Resource = Type.Object(
  {
    resourceType: oneOf(
      ['DiagnosticReport', 'Observation', 'Organization', 'Patient', 'Practitioner', 'ServiceRequest', 'Specimen'],
      { description: 'The type of the resource. FHIR R4 defines its other fields.' },
    ),
    id: Uuid,
  },
  { additionalProperties: Type.Unknown(), description: 'A resource of FHIR R4.' },
);

export const FhirBundle = shape('FhirBundle', {
  resourceType: oneOf(['Bundle'], { description: 'Always Bundle.' }),
  id: Uuid,
  type: oneOf(['collection']),
  timestamp: Timestamp,
  entry: Type.Array(
    Type.Object({
      fullUrl: Type.String({ description: 'urn:uuid: and the id. References to the resource have the same value.' }),
      resource: Resource,
    }),
    { description: 'The resources. The requested one comes first.' },
  ),
});
