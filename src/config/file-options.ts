import { orNull, text, whole } from './option-kinds.ts';

/** Options of files that are sent: where they lie, how much of them is taken, and how long reading one may take. */
export const FILE_OPTIONS = {
  PHIAL_UPLOAD_DIR: {
    default: '',
    read: orNull(text),
    meaning:
      'Directory of uploaded files until they are imported, which all processes must see; empty: uploads in the data directory.',
  },
  PHIAL_UPLOAD_LIMIT_BYTES: {
    default: '5368709120',
    read: whole(1024, 68_719_476_736),
    meaning: 'Largest uploaded file in bytes (1024 to 68719476736).',
  },
  PHIAL_UPLOAD_QUOTA_BYTES: {
    default: '10737418240',
    read: whole(1024, 1_099_511_627_776),
    meaning: "Bytes that a team's files may take until they are imported (1024 to 1099511627776).",
  },
  PHIAL_LAB_REPORT_QUOTA_BYTES: {
    default: '10737418240',
    read: whole(1024, 1_099_511_627_776),
    meaning: "Bytes that the lab reports of a team's users may take in the database (1024 to 1099511627776).",
  },
  PHIAL_UPLOAD_QUOTA_BYTES_PER_ORG: {
    default: '53687091200',
    read: whole(1024, 1_099_511_627_776),
    meaning:
      'Bytes that the files of all teams of an organisation may take until they are imported (1024 to 1099511627776).',
  },
  PHIAL_LAB_REPORT_QUOTA_BYTES_PER_ORG: {
    default: '53687091200',
    read: whole(1024, 1_099_511_627_776),
    meaning:
      'Bytes that the lab reports of all teams of an organisation may take in the database (1024 to 1099511627776).',
  },
  PHIAL_STORAGE_RESERVE_BYTES: {
    default: '268435456',
    read: whole(0, 1_099_511_627_776),
    meaning:
      'Files are refused while less than this is free on the disk of uploads or for the database (0 to 1099511627776).',
  },
  PHIAL_DATABASE_LIMIT_BYTES: {
    default: '',
    read: orNull(whole(1024, 1_125_899_906_842_624)),
    meaning:
      'Bytes that the database may grow to, by which its free space is known on a server of yours; empty: not known there.',
  },
  PHIAL_IMPORT_EXPANDED_LIMIT_BYTES: {
    default: '8589934592',
    read: whole(1024, 1_099_511_627_776),
    meaning: 'Bytes that a packed file may hold when it is unpacked (1024 to 1099511627776).',
  },
  PHIAL_IMPORT_CPU_SECONDS: {
    default: '600',
    read: whole(1, 86_400),
    meaning: 'Seconds of processor time that reading a file may take (1 to 86400).',
  },
  PHIAL_IMPORT_TIMEOUT_SECONDS: {
    default: '3600',
    read: whole(1, 604_800),
    meaning:
      'Seconds that reading a file and storing what it holds may take, without those in which it waits for its turn (1 to 604800).',
  },
} as const;
