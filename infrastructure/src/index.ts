export * from './lake-bucket';
export * from './mail-identity';
export * from './model';
export * from './model-stack';
export * from './model-tables';
export * from './service-stack';
export * from './versioned-table';
export * from './watch';
