//! Units that follow the use: a target and a policy for reads and for writes, of a table and of each of its global indexes.

use serde_json::{Map, Value, json};
use tablewright_model::model::{Capacity, IndexKind, Table, Units};

use super::{LogicalIds, is_provisioned, logical_id, sub};
use crate::EmitError;

pub(super) fn add(
    table: &Table,
    ids: &mut LogicalIds,
    resources: &mut Map<String, Value>,
) -> Result<(), EmitError> {
    let global = table
        .indexes
        .iter()
        .filter(|index| index.kind == IndexKind::Global);
    let indexes = global.map(|index| (Some(index.name.as_str()), index.capacity));
    for (index, capacity) in std::iter::once((None, table.capacity)).chain(indexes) {
        for scaled in [
            Scaled::new("Read", capacity.read),
            Scaled::new("Write", capacity.write),
        ] {
            // What has one size has nothing to follow.
            if scaled.units.fewest < scaled.units.most {
                scaled.add(table, index, capacity, ids, resources)?;
            }
        }
    }
    Ok(())
}

struct Scaled {
    direction: &'static str,
    units: Units,
}

impl Scaled {
    fn new(direction: &'static str, units: Units) -> Scaled {
        Scaled { direction, units }
    }

    fn add(
        &self,
        table: &Table,
        index: Option<&str>,
        capacity: Capacity,
        ids: &mut LogicalIds,
        resources: &mut Map<String, Value>,
    ) -> Result<(), EmitError> {
        let name = table.name.as_str();
        let direction = self.direction;
        let what = match index {
            Some(index) => format!("the scaling of the index `{index}` of `{name}`"),
            None => format!("the scaling of the table `{name}`"),
        };
        let parts = |suffix: &'static str| [name, index.unwrap_or_default(), direction, suffix];
        let target = ids.take(&parts("Target"), &what)?;
        let policy = ids.take(&parts("Scaling"), &what)?;
        let (kind, place) = match index {
            Some(index) => ("index", format!("/index/{index}")),
            None => ("table", String::new()),
        };
        let table_id = logical_id(name);
        let condition = is_provisioned(table);
        resources.insert(
            target.clone(),
            json!({
                "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
                "Condition": condition,
                "Properties": {
                    "ServiceNamespace": "dynamodb",
                    "ResourceId": sub(format!("table/${{{table_id}}}{place}")),
                    "ScalableDimension": format!("dynamodb:{kind}:{direction}CapacityUnits"),
                    "MinCapacity": self.units.fewest,
                    "MaxCapacity": self.units.most,
                },
            }),
        );
        resources.insert(
            policy.clone(),
            json!({
                "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
                "Condition": condition,
                "Properties": {
                    "PolicyName": policy,
                    "PolicyType": "TargetTrackingScaling",
                    "ScalingTargetId": { "Ref": target },
                    "TargetTrackingScalingPolicyConfiguration": {
                        "TargetValue": capacity.target,
                        "PredefinedMetricSpecification": {
                            "PredefinedMetricType": format!("DynamoDB{direction}CapacityUtilization"),
                        },
                    },
                },
            }),
        );
        Ok(())
    }
}
